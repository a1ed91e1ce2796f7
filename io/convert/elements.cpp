#include "io/convert/elements.hpp"

namespace pencilbox {

bool is_element(std::string_view symbol) {
  constexpr std::string_view symbols =
      " H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As "
      "Se "
      "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
      "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm "
      "Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og ";
  if (symbol.empty() || symbol.size() > 2 || symbol.find(' ') != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = symbols.find(symbol); at != std::string_view::npos;
       at = symbols.find(symbol, at + 1)) {
    if (symbols[at - 1] == ' ' && symbols[at + symbol.size()] == ' ') return true;
  }
  return false;
}

}  // namespace pencilbox
